// Keeps content out of the PDF that its author has hidden.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>
#include <com/sun/star/uno/XComponentContext.hpp>
#include <rtl/ustring.hxx>

namespace css = com::sun::star;

namespace zygote {

/**
 * Removes what LibreOffice would print though the author has hidden it: sheets with print ranges, the active sheet of a
 * workbook, scenarios, and texts in shapes.
 * @param url of the document, whose package is asked for what LibreOffice does not import
 */
void keepHidden(const css::uno::Reference<css::uno::XComponentContext>& context,
                const css::uno::Reference<css::lang::XComponent>& document, const rtl::OUString& url);

}  // namespace zygote
