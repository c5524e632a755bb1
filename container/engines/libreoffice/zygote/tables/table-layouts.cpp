// Implements the reader of table layouts.
#include "tables/table-layouts.hpp"

#include <algorithm>
#include <charconv>

#include <com/sun/star/container/XNameAccess.hpp>
#include <com/sun/star/packages/zip/ZipFileAccess.hpp>

#include "spreadsheets/markup.hpp"

namespace zygote {
namespace {

sal_Int32 numberOf(const std::string& text) {
  sal_Int32 number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// cspell:ignore rsid tblp

/** Follows the tags of the document's body. */
class Reader final {
 public:
  std::vector<TableLayout> tables;

  void follow(const MarkupReader& tags) {
    if (tags.name() == "txbxContent" && !tags.isEmpty()) shapes_ += tags.isClosing() ? -1 : 1;
    if (shapes_ > 0) return;
    if (tags.name() == "tbl") followTable(tags);
    else if (depth_ == 1) followContent(tags);
    else if (depth_ == 0) followSection(tags);
  }

 private:
  int shapes_ = 0;
  int depth_ = 0;
  std::size_t ofSection_ = 0;
  bool isInProperties_ = false;
  sal_Int32 pageWidth_ = 0;
  sal_Int32 margins_ = 0;

  void followTable(const MarkupReader& tags) {
    if (tags.isEmpty()) return;
    depth_ += tags.isClosing() ? -1 : 1;
    if (tags.isClosing()) return;
    if (depth_ == 1) tables.emplace_back();
    else tables.back().hasTables = true;
  }

  void followContent(const MarkupReader& tags) {
    TableLayout& table = tables.back();
    if (tags.name() == "tblPrEx" || tags.name() == "tblPrChange")
      isInProperties_ = !tags.isClosing() && !tags.isEmpty();
    if (isInProperties_) return;
    if (tags.ends("t") && tags.isClosing() && table.rows.size() == 1 && table.rows[0].size() == 1)
      table.firstText += tags.text();
    if (tags.isClosing()) return;
    followWidths(tags, table);
    if (tags.starts("tblpPr") || tags.starts("gridBefore") || tags.starts("gridAfter")) table.isUnusual = true;
    if (tags.starts("tblLayout")) table.isFixed = tags.attribute("type") == "fixed";
    if (tags.starts("tr")) {
      table.rows.emplace_back();
      table.isOfWord |= !tags.attribute("rsidR").empty() || !tags.attribute("paraId").empty();
    }
    if (tags.starts("tc") && !table.rows.empty()) table.rows.back().emplace_back();
    if (tags.starts("gridSpan") && !table.rows.empty() && !table.rows.back().empty())
      table.rows.back().back().span = std::max(1, numberOf(tags.attribute("val")));
  }

  static void followWidths(const MarkupReader& tags, TableLayout& table) {
    const bool isOfCell = tags.starts("tcW");
    if (tags.starts("gridCol")) table.grid.push_back(numberOf(tags.attribute("w")));
    if (!isOfCell && !tags.starts("tblW")) return;
    StatedWidth width;
    const std::string type = tags.attribute("type");
    const std::string value = tags.attribute("w");
    const bool isPercent = !value.empty() && value.back() == '%';
    width.isShare = isPercent || type == "pct";
    if (width.isShare || type.empty() || type == "dxa") width.value = numberOf(value) * (isPercent ? 50 : 1);
    if (!isOfCell) table.width = width;
    else if (!table.rows.empty() && !table.rows.back().empty()) table.rows.back().back().width = width;
  }

  /** Reads the room of the tables since the previous section, whose properties follow them. */
  void followSection(const MarkupReader& tags) {
    if (tags.starts("pgSz")) pageWidth_ = numberOf(tags.attribute("w"));
    if (tags.starts("pgMar"))
      margins_ = numberOf(tags.attribute("left")) + numberOf(tags.attribute("right")) +
                 numberOf(tags.attribute("gutter"));
    if (tags.starts("cols")) columns_ = std::max(1, numberOf(tags.attribute("num"))), gap_ = gapOf(tags);
    if (!tags.ends("sectPr")) return;
    for (; ofSection_ < tables.size(); ofSection_++)
      tables[ofSection_].room = (pageWidth_ - margins_ + gap_) / columns_ - gap_;
    columns_ = 1;
    gap_ = 0;
  }

  static sal_Int32 gapOf(const MarkupReader& tags) {
    const std::string space = tags.attribute("space");
    return numberOf(tags.attribute("num")) < 2 ? 0 : space.empty() ? 720 : numberOf(space);
  }

  sal_Int32 columns_ = 1;
  sal_Int32 gap_ = 0;
};

}  // namespace

DocumentLayout documentLayoutOf(const css::uno::Reference<css::uno::XComponentContext>& context,
                                const rtl::OUString& url) {
  const css::uno::Reference<css::container::XNameAccess> package(
      css::packages::zip::ZipFileAccess::createWithURL(context, url), css::uno::UNO_QUERY_THROW);
  const auto part = [&](const char* name) {
    css::uno::Reference<css::io::XInputStream> stream;
    const rtl::OUString wide = rtl::OUString::createFromAscii(name);
    if (package->hasByName(wide)) package->getByName(wide) >>= stream;
    return MarkupReader(stream);
  };
  DocumentLayout layout;
  for (MarkupReader tags = part("word/settings.xml"); tags.next();) {
    if (tags.starts("compatSetting") && tags.attribute("name") == "compatibilityMode")
      layout.compatibilityMode = numberOf(tags.attribute("val"));
  }
  Reader reader;
  for (MarkupReader tags = part("word/document.xml"); tags.next();) reader.follow(tags);
  layout.tables = std::move(reader.tables);
  return layout;
}

}  // namespace zygote
