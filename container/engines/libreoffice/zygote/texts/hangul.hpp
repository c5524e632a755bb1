// Finds Hangul in texts.
#pragma once

#include <algorithm>

#include <rtl/ustring.hxx>

namespace zygote {

inline bool hasAny(const rtl::OUString& text, bool (*test)(sal_Unicode)) {
  return std::any_of(text.getStr(), text.getStr() + text.getLength(), test);
}

/** Reports whether a character is a syllable of Hangul or a part of one (blocks of Unicode). */
inline bool isHangul(sal_Unicode unit) {
  return (unit >= 0x1100 && unit < 0x1200) || (unit >= 0xac00 && unit < 0xd7b0);
}

}  // namespace zygote
