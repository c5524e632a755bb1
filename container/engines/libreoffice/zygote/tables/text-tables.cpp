// Sets the width of tables that Word would fit to their content. LibreOffice makes them far wider than the page if the
// file declares a width of zero and no column widths.
#include "corrections/texts.hpp"

#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XIndexAccess.hpp>
#include <com/sun/star/text/XTextTablesSupplier.hpp>

using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY_THROW;

namespace zygote {
namespace {

/**
 * Tables at least this wide have no declared width. A new table of LibreOffice is 65,535 twips wide, more than any
 * paper. In 1/100 mm.
 */
constexpr sal_Int32 unsetWidth = 115'000;
constexpr sal_Int16 wholePercent = 100;

}  // namespace

void mendTables(const Reference<css::lang::XComponent>& document) {
  const Reference<css::text::XTextTablesSupplier> supplier(document, UNO_QUERY_THROW);
  const Reference<css::container::XIndexAccess> tables(supplier->getTextTables(), UNO_QUERY_THROW);
  for (sal_Int32 index = 0; index < tables->getCount(); index++) {
    const Reference<css::beans::XPropertySet> table(tables->getByIndex(index), UNO_QUERY_THROW);
    sal_Int32 width = 0;
    bool isRelative = false;
    table->getPropertyValue("Width") >>= width;
    table->getPropertyValue("IsWidthRelative") >>= isRelative;
    if (width >= unsetWidth && !isRelative) table->setPropertyValue("RelativeWidth", Any(wholePercent));
  }
}

}  // namespace zygote
