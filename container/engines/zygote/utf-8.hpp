// Validates UTF-8 (RFC 3629).
#pragma once

#include <string>

namespace zygote {

/** Returns the number of bytes of the well-formed sequence at `at`, or 0 if there is none. */
inline std::size_t utf8SequenceLength(const std::string& text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  std::size_t length = 0;
  if (first < 0x80) length = 1;
  if (first >= 0xc2 && first < 0xe0) length = 2;
  if (first >= 0xe0 && first < 0xf0) length = 3;
  if (first >= 0xf0 && first < 0xf5) length = 4;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; i++) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

}  // namespace zygote
