#include "import-options.hpp"

#include <algorithm>
#include <fstream>

#include "utf-8.hpp"

namespace zygote {
namespace {

std::string beginningOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(65536, ' ');
  file.read(&bytes[0], static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

/** RFC 4180 has the comma; where that is the decimal point, programs write semicolons. */
char separatorIn(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const auto occurrences = [&](char c) { return std::count(line.begin(), line.end(), c); };
  const std::string candidates = ",;\t|";
  return *std::max_element(candidates.begin(), candidates.end(),
                           [&](char a, char b) { return occurrences(a) < occurrences(b); });
}

/** Numbers of LibreOffice's CSV filter options: 65535 UTF-16, 76 UTF-8, 1 Windows-1252. */
int encodingOf(const std::string& text) {
  if (text.compare(0, 2, "\xff\xfe") == 0 || text.compare(0, 2, "\xfe\xff") == 0) return 65535;
  // The last character may be cut.
  for (std::size_t at = 0; at + 4 <= text.size();) {
    const std::size_t length = utf8SequenceLength(text, at);
    if (length == 0) return 1;
    at += length;
  }
  return 76;
}

}  // namespace

std::string importOptionsFor(const std::string& path, const std::string& filter) {
  // Language by the document, numbers as they are written.
  if (filter.find("HTML") != std::string::npos) return "0 false";
  const std::string text = beginningOf(path);
  // Separator, double quote as the quotation mark, encoding, from the first line.
  return std::to_string(static_cast<int>(separatorIn(text))) + ",34," + std::to_string(encodingOf(text)) + ",1";
}

}  // namespace zygote
