// Corrects imported texts where LibreOffice's PDF lacks something that Word's has.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>

namespace css = com::sun::star;

namespace zygote {

/** Makes links of all texts of a document clickable. Their look stays as it is. */
void mendLinks(const css::uno::Reference<css::lang::XComponent>& document);

/** Fits tables without any width to their page. */
void mendTables(const css::uno::Reference<css::lang::XComponent>& document);

}  // namespace zygote
