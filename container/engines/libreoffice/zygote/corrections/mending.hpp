// Corrects imported documents where LibreOffice shows something other than their original program.
#pragma once

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/lang/XComponent.hpp>
#include <com/sun/star/uno/XComponentContext.hpp>
#include <rtl/ustring.hxx>

#include <memory>
#include <string>
#include <vector>

#include "spreadsheets/workbook.hpp"

namespace css = com::sun::star;

namespace zygote {

/**
 * Opens the file of an Office Open XML workbook.
 * @param filter the import filter that LibreOffice chose
 * @returns null if the document is not such a workbook, or cannot be read
 */
std::unique_ptr<Workbook> openWorkbook(const std::string& filter,
                                       const css::uno::Reference<css::uno::XComponentContext>& context,
                                       const rtl::OUString& url);

/** @param workbook see openWorkbook */
void mend(const css::uno::Reference<css::lang::XComponent>& document, const std::string& filter,
          const Workbook* workbook);

/** Returns the page styles of a text document or a spreadsheet. */
std::vector<css::uno::Reference<css::beans::XPropertySet>> pageStylesOf(
    const css::uno::Reference<css::lang::XComponent>& document);

/**
 * Reports whether a section begins on an odd or even page, so that a blank page can precede it. LibreOffice, unlike
 * Word, also inserts a blank page where page numbers restart.
 */
bool hasBlankPages(const css::uno::Reference<css::lang::XComponent>& document, const std::string& filter);

}  // namespace zygote
