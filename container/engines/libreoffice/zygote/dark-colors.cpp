// Replaces a function of LibreOffice that decides on which backgrounds text of the automatic color is white. Up to
// version 7.4, it called a background dark up to a luminance of 60, as Word does; 25.2 does so up to 156, so that black
// text on orange or gray turns white. This function is exported (-rdynamic), so that LibreOffice calls it instead.
#include <sal/types.h>

/** LibreOffice's color: from the lowest byte, blue, green, red and transparency. Its header is not published. */
class Color final {
 public:
  bool IsDark() const;

 private:
  sal_uInt32 value_;
};

bool Color::IsDark() const {
  constexpr sal_uInt32 largestDark = 60;
  const auto channel = [this](int at) { return value_ >> (8 * at) & 0xFF; };
  return (channel(0) * 29 + channel(1) * 151 + channel(2) * 76) >> 8 <= largestDark;
}
