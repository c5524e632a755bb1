// Prevents pages from showing the path under which the server opened the document.
#pragma once

#include <com/sun/star/lang/XComponent.hpp>
#include <rtl/ustring.hxx>

namespace css = com::sun::star;

namespace zygote {

/**
 * Replaces the document's path by its name in fields and in results of formulas, and converts links to the document
 * itself to internal links. Links to other documents are restored in the PDF (place.ts).
 * @param url of the document
 * @param isOfExcel true if the workbook's formulas expect the function results of Excel
 */
void hideAddress(const css::uno::Reference<css::lang::XComponent>& document, const rtl::OUString& url,
                 bool isOfExcel);

}  // namespace zygote
