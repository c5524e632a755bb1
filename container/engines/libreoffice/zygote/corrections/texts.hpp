// Corrects imported texts where LibreOffice's PDF differs from Word's.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>
#include <com/sun/star/uno/XComponentContext.hpp>

namespace css = com::sun::star;

namespace zygote {

/** Makes all links in a document's texts clickable, without changing their appearance. */
void mendLinks(const css::uno::Reference<css::lang::XComponent>& document);

/** Reduces the space above paragraphs that follow a page break or section break. */
void mendBreaks(const css::uno::Reference<css::lang::XComponent>& document);

/** Keeps the space above the first paragraph of columns within the first column. */
void mendColumns(const css::uno::Reference<css::lang::XComponent>& document);

/** Sets the width of tables without a declared width to the width of the page. */
void mendTables(const css::uno::Reference<css::lang::XComponent>& document);

/** Counts the space below the last paragraph where a text is centered in a shape, or at its bottom. */
void mendShapes(const css::uno::Reference<css::lang::XComponent>& document);

/** Sets the columns of tables that Word fits to their content. Expects a package with WordprocessingML. */
void fitColumns(const css::uno::Reference<css::lang::XComponent>& document,
                const css::uno::Reference<css::uno::XComponentContext>& context);

}  // namespace zygote
