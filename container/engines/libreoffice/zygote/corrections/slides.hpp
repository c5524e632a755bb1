// Corrects imported presentations where LibreOffice's PDF differs from PowerPoint's.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>

namespace css = com::sun::star;

namespace zygote {

/** Removes the gaps that LibreOffice inserts between Hangul and Latin letters or digits. */
void mendHangul(const css::uno::Reference<css::lang::XComponent>& document);

}  // namespace zygote
