// Implements the workbook reader.
#include "spreadsheets/workbook.hpp"

#include <algorithm>
#include <charconv>

#include <com/sun/star/packages/zip/ZipFileAccess.hpp>

namespace zygote {
namespace {

rtl::OUString wide(const std::string& text) {
  return rtl::OUString(text.data(), static_cast<sal_Int32>(text.size()), RTL_TEXTENCODING_UTF8);
}

std::string lastWordOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

constexpr sal_Int32 mostRows = 1 << 20;

/** Resolves the target of a relationship of a part (ISO/IEC 29500-2, 6.3). */
std::string resolved(const std::string& part, const std::string& target) {
  if (!target.empty() && target[0] == '/') return target.substr(1);
  std::string folder = part.substr(0, part.rfind('/') == std::string::npos ? 0 : part.rfind('/') + 1);
  std::string rest = target;
  while (rest.compare(0, 3, "../") == 0 || rest.compare(0, 2, "./") == 0) {
    const bool isUp = rest[1] == '.';
    rest.erase(0, isUp ? 3 : 2);
    if (isUp && !folder.empty()) folder.erase(folder.size() < 2 ? 0 : folder.rfind('/', folder.size() - 2) + 1);
  }
  return folder + rest;
}

/**
 * Tracks the position of the current row and cell. The attribute `r` of both elements is optional (ISO/IEC 29500-1,
 * 18.3.1.73 and 18.3.1.4).
 */
class Cursor final {
 public:
  Place place{-1, -1};

  void follow(const MarkupReader& tags) {
    if (tags.starts("row")) {
      place = {-1, std::clamp(numberOr(tags.attribute("r"), place.row + 2) - 1, 0, mostRows)};
    } else if (tags.starts("c")) {
      const std::string reference = tags.attribute("r");
      const std::size_t digits = std::min(reference.find_first_of("0123456789"), reference.size());
      sal_Int32 column = 0;
      for (std::size_t at = 0; at < std::min<std::size_t>(digits, 3); at++) column = column * 26 + (reference[at] & 31);
      place.column = column == 0 ? place.column + 1 : column - 1;
    }
  }

 private:
  static sal_Int32 numberOr(const std::string& text, sal_Int32 otherwise) {
    sal_Int32 number = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
};

}  // namespace

Workbook::Workbook(const css::uno::Reference<css::uno::XComponentContext>& context, const rtl::OUString& url)
    : package_(css::packages::zip::ZipFileAccess::createWithURL(context, url), css::uno::UNO_QUERY_THROW) {
  const std::string main = targetsOf("")["officeDocument"];
  auto targets = targetsOf(main);
  for (MarkupReader tags = part(main); tags.next();) {
    if (tags.starts("sheet")) {
      const std::string state = tags.attribute("state");
      if (state == "hidden" || state == "veryHidden") hidden_.insert(tags.attribute("name"));
      sheets_.push_back(targets[tags.attribute("id")]);
    }
    if (tags.starts("calcPr")) wantsCalculation_ = tags.flag("fullCalcOnLoad") || tags.flag("forceFullCalc");
  }
}

MarkupReader Workbook::part(const std::string& name) const {
  css::uno::Reference<css::io::XInputStream> stream;
  if (package_->hasByName(wide(name))) package_->getByName(wide(name)) >>= stream;
  return MarkupReader(stream);
}

std::unordered_map<std::string, std::string> Workbook::targetsOf(const std::string& of) const {
  std::unordered_map<std::string, std::string> targets;
  const std::string folder = of.substr(0, of.size() - lastWordOf(of).size());
  for (MarkupReader tags = part(folder + "_rels/" + lastWordOf(of) + ".rels"); tags.next();) {
    if (!tags.starts("Relationship")) continue;
    const std::string target = resolved(of, tags.attribute("Target"));
    targets[tags.attribute("Id")] = target;
    targets[lastWordOf(tags.attribute("Type"))] = target;
  }
  return targets;
}

Workbook::Printed Workbook::printedShapesOf(sal_Int32 sheet) const {
  Printed printed;
  std::string name;
  const std::string drawing = targetsOf(partOf(sheet))["drawing"];
  if (drawing.empty()) return printed;
  bool isNamed = false;
  for (MarkupReader tags = part(drawing); tags.next();) {
    // The first name within an anchor belongs to its shape, further names to shapes inside that shape.
    if (tags.starts("cNvPr") && !isNamed) {
      name = tags.attribute("name");
      isNamed = true;
    }
    if (!tags.starts("clientData")) continue;
    const std::string prints = tags.attribute("fPrintsWithSheet");
    if (isNamed) printed[name].push_back(prints != "0" && prints != "false");
    isNamed = false;
  }
  return printed;
}

void Workbook::readValues(sal_Int32 sheet, SavedValues& values) const {
  Cursor cursor;
  std::string type;
  for (MarkupReader tags = part(partOf(sheet)); tags.next();) {
    cursor.follow(tags);
    if (tags.starts("c")) type = tags.attribute("t");
    if (!tags.ends("v") || !tags.isClosing() || type == "s") continue;
    const auto found = values.find(cursor.place);
    if (found != values.end()) found->second = {type, tags.text()};
  }
}

std::vector<Rows> Workbook::openRowsOf(sal_Int32 sheet) const {
  std::vector<Rows> rows;
  Cursor cursor;
  bool isOpen = false;
  for (MarkupReader tags = part(partOf(sheet)); tags.next();) {
    cursor.follow(tags);
    // A custom default height applies to all rows of the sheet, even to rows with higher text.
    if (tags.starts("sheetFormatPr") && tags.flag("customHeight")) return {};
    if (tags.starts("row")) isOpen = tags.attribute("ht").empty() && !tags.flag("hidden");
    if (!tags.starts("c") || !isOpen) continue;
    isOpen = false;
    const sal_Int32 row = cursor.place.row;
    if (!rows.empty() && rows.back().second == row - 1) rows.back().second = row;
    else rows.emplace_back(row, row);
  }
  return rows;
}

}  // namespace zygote
