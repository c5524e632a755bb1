// Removes what would make LibreOffice print hidden content.
#include "hidden.hpp"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/sheet/XPrintAreas.hpp>
#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>

using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;

namespace zygote {

void keepHidden(const Reference<css::lang::XComponent>& document) {
  const Reference<css::sheet::XSpreadsheetDocument> workbook(document, UNO_QUERY);
  if (!workbook.is()) return;
  const Reference<css::container::XIndexAccess> sheets(workbook->getSheets(), UNO_QUERY_THROW);
  for (sal_Int32 index = 0; index < sheets->getCount(); index++) {
    const Reference<css::beans::XPropertySet> sheet(sheets->getByIndex(index), UNO_QUERY_THROW);
    bool isVisible = true;
    sheet->getPropertyValue("IsVisible") >>= isVisible;
    if (!isVisible) Reference<css::sheet::XPrintAreas>(sheet, UNO_QUERY_THROW)->setPrintAreas({});
  }
}

}  // namespace zygote
