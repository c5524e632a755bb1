// Corrects imported texts where LibreOffice's PDF differs from Word's.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>
#include <com/sun/star/uno/XComponentContext.hpp>

#include "texts/paragraphs.hpp"

namespace css = com::sun::star;

namespace zygote {

/** Makes all links in a paragraph clickable, without changing their appearance. */
void mendLinks(const css::uno::Reference<css::lang::XComponent>& document, const Paragraph& paragraph);

/** Sets Asian text in the line heights of Word, and Korean text without gaps beside Latin text. */
void mendAsianText(const Paragraph& paragraph);

/** Sets bullets of symbol fonts as characters of Unicode, with the same appearance. */
void mendBullets(const css::uno::Reference<css::lang::XComponent>& document);

/** Reduces the space above paragraphs that follow a page break or section break. */
void mendBreaks(const css::uno::Reference<css::lang::XComponent>& document);

/** Moves text that is centered in a shape or at its lower edge, by the space below its last paragraph. */
void mendShapes(const css::uno::Reference<css::lang::XComponent>& document);

/** Keeps the space above the first paragraph of columns within the first column. */
void mendColumns(const css::uno::Reference<css::lang::XComponent>& document);

/** Sets the width of tables without a declared width to the width of the page. */
void mendTables(const css::uno::Reference<css::lang::XComponent>& document);

/** Sets the columns of tables that Word fits to their content. Expects a package with WordprocessingML. */
void fitColumns(const css::uno::Reference<css::lang::XComponent>& document,
                const css::uno::Reference<css::uno::XComponentContext>& context);

}  // namespace zygote
