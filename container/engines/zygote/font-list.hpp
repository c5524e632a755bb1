// Formats the list of replaced fonts that a job's outcome carries to the service (container/fonts/substitutions.ts).
#pragma once

#include <set>
#include <string>

namespace zygote {

/** Bytes of an outcome's detail. With its status, they fill two pages, which a pipe holds even if memory is short. */
constexpr std::size_t longestDetail = 8191;
/** Number of listed fonts (docs/api.md#responses). */
constexpr std::size_t mostFonts = 50;

/**
 * Returns the number of fonts, then a line for each of the first ones, such as `Carlito for Calibri`; an empty string
 * without fonts.
 */
inline std::string fontList(const std::set<std::string>& fonts) {
  if (fonts.empty()) return "";
  std::string list = std::to_string(fonts.size());
  std::size_t listed = 0;
  for (const std::string& font : fonts) {
    if (listed == mostFonts || list.size() + 1 + font.size() > longestDetail) break;
    list += "\n" + font;
    listed++;
  }
  return list;
}

}  // namespace zygote
