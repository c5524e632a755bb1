// Keeps content out of the PDF that its author has hidden.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>

namespace css = com::sun::star;

namespace zygote {

/** Removes the print ranges of hidden sheets: LibreOffice prints these, and Excel prints no hidden sheet. */
void keepHidden(const css::uno::Reference<css::lang::XComponent>& document);

}  // namespace zygote
