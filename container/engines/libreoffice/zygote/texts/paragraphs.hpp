// Visits the paragraphs of a text document.
#pragma once

#include <functional>

#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/lang/XComponent.hpp>

namespace css = com::sun::star;

namespace zygote {

/** Paragraph of a text, or of a shape's text. Enumerates its portions. */
using Paragraph = css::uno::Reference<css::container::XEnumerationAccess>;

/** Visits all paragraphs: of the body and its tables, notes, frames, shapes, headers and footers. */
void visitParagraphs(const css::uno::Reference<css::lang::XComponent>& document,
                     const std::function<void(const Paragraph&)>& visit);

}  // namespace zygote
