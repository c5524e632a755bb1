#include "pace.hpp"

#include <time.h>

#include <algorithm>

#include <com/sun/star/beans/PropertyValue.hpp>
#include <com/sun/star/sheet/XSpreadsheetDocument.hpp>
#include <com/sun/star/view/XRenderable.hpp>

using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;

namespace zygote {
namespace {

/** Documents with fewer pages are exported without an estimate. */
constexpr long manyPages = 40;
constexpr long fewestSamples = 8;
constexpr long mostSamples = 20;
constexpr long pagesPerSample = 1000;
/** Estimates are inexact, so only documents that exceed the limit by this factor are rejected. */
constexpr double doubt = 1.25;

/** @returns a page range of `count` pages, spread evenly over the document */
std::string spread(long count, long pages) {
  std::string range;
  for (long at = 0; at < count; at++) {
    const long page = 1 + static_cast<long>((at + 0.5) * static_cast<double>(pages) / static_cast<double>(count));
    range += (range.empty() ? "" : ",") + std::to_string(page);
  }
  return range;
}

}  // namespace

double usedSeconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

Pace paceOf(const Reference<css::lang::XComponent>& document, double seconds,
            const std::function<void(const std::string&)>& exportPages) {
  // Estimates only spreadsheets. In other documents, all pages take about the same time, mostly for layout.
  const Reference<css::sheet::XSpreadsheetDocument> sheets(document, UNO_QUERY);
  const Reference<css::view::XRenderable> renderable(document, UNO_QUERY);
  if (!sheets.is() || !renderable.is()) return {};
  const long pages = renderable->getRendererCount(Any(document), {});
  if (pages < manyPages) return {pages, pages};
  const long samples = std::clamp(pages / pagesPerSample, fewestSamples, mostSamples);
  // The export of one page measures the fixed time of an export.
  const double before = usedSeconds();
  exportPages("1");
  const double between = usedSeconds();
  exportPages(spread(samples, pages));
  const double after = usedSeconds();
  const double perPage = std::max(0.0, (after - between) - (between - before)) / static_cast<double>(samples);
  const double left = (seconds - after) * doubt;
  if (perPage * static_cast<double>(pages) <= left) return {pages, pages};
  return {pages, std::max(1L, static_cast<long>(left / doubt / perPage))};
}

}  // namespace zygote
