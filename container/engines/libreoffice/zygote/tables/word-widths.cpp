// Implements the measurement of words.
#include "tables/word-widths.hpp"

#include <algorithm>

#include <com/sun/star/awt/FontDescriptor.hpp>
#include <com/sun/star/awt/FontSlant.hpp>
#include <com/sun/star/awt/XFont.hpp>
#include <com/sun/star/awt/XToolkit.hpp>
#include <com/sun/star/beans/XPropertySet.hpp>
#include <com/sun/star/container/XEnumerationAccess.hpp>
#include <com/sun/star/lang/XMultiComponentFactory.hpp>
#include <com/sun/star/lang/XServiceInfo.hpp>
#include <com/sun/star/style/CaseMap.hpp>

using css::beans::XPropertySet;
using css::uno::Any;
using css::uno::Reference;
using css::uno::UNO_QUERY;
using css::uno::UNO_QUERY_THROW;
using rtl::OUString;

namespace zygote {
namespace {

/** Size of measured fonts in pixels. Large, because LibreOffice returns whole pixels. */
constexpr sal_Int16 measuredSize = 2000;
constexpr double twipsPerPoint = 20;
constexpr double twipsPerHundredthOfMillimeter = 1440.0 / 2540;
/** The first of the scripts that are broken between any two characters: Hangul's consonants and all later ones. */
constexpr sal_Unicode firstIdeograph = 0x2E80;

template <class Value>
Value valueOf(const Reference<XPropertySet>& properties, const char* name) {
  Value value{};
  properties->getPropertyValue(OUString::createFromAscii(name)) >>= value;
  return value;
}

bool isSpace(sal_Unicode character) {
  return character == ' ' || character == '\t' || character == '\n' || character == 0x3000;
}

/** Reports whether Word breaks lines after a character within a word. */
bool endsPiece(sal_Unicode character) {
  return character == '-' || character == 0x2013 || character == 0x2014 || character >= firstIdeograph;
}

/** Returns the end of the part of a word that starts at an index, or the end of a single space. */
sal_Int32 endOfPiece(const OUString& text, sal_Int32 start) {
  if (isSpace(text[start])) return start + 1;
  for (sal_Int32 at = start; at < text.getLength(); at++) {
    if (isSpace(text[at])) return at;
    if (endsPiece(text[at])) return at + 1;
  }
  return text.getLength();
}

/** Widths of the current word and line of a paragraph. */
struct Progress {
  TextWidths widest;
  double word = 0;
  double line = 0;

  void add(double width, sal_Unicode last) {
    if (last == '\n') line = 0;
    else line += width;
    word = isSpace(last) ? 0 : word + width;
    widest.widestWord = std::max(widest.widestWord, word);
    if (!isSpace(last)) widest.widestLine = std::max(widest.widestLine, line);
    if (endsPiece(last)) word = 0;
  }
};

css::awt::FontDescriptor fontOf(const Reference<XPropertySet>& portion) {
  css::awt::FontDescriptor font;
  font.Name = valueOf<OUString>(portion, "CharFontName");
  font.Weight = valueOf<float>(portion, "CharWeight");
  font.Slant = valueOf<css::awt::FontSlant>(portion, "CharPosture");
  font.Kerning = valueOf<bool>(portion, "CharAutoKerning");
  font.Height = measuredSize;
  return font;
}

OUString shownText(const Reference<XPropertySet>& portion, const OUString& text) {
  const auto map = valueOf<sal_Int16>(portion, "CharCaseMap");
  return map == css::style::CaseMap::UPPERCASE ? text.toAsciiUpperCase() : text;
}

}  // namespace

WordWidths::WordWidths(const Reference<css::uno::XComponentContext>& context) {
  const Reference<css::awt::XToolkit> toolkit(
      context->getServiceManager()->createInstanceWithContext("com.sun.star.awt.Toolkit", context), UNO_QUERY_THROW);
  device_ = toolkit->createScreenCompatibleDevice(1, 1);
}

double WordWidths::widthOf(const css::awt::FontDescriptor& descriptor, const OUString& text) {
  if (text.isEmpty()) return 0;
  const OUString key = descriptor.Name + "/" + OUString::number(descriptor.Weight) + "/" +
                       OUString::number(static_cast<sal_Int32>(descriptor.Slant)) +
                       OUString::boolean(descriptor.Kerning);
  Reference<css::awt::XFont>& font = fonts_[key];
  if (!font.is()) font = device_->getFont(descriptor);
  return font->getStringWidth(text) / double{measuredSize};
}

TextWidths WordWidths::widthsOfParagraph(const Reference<css::uno::XInterface>& paragraph) {
  const Reference<css::container::XEnumerationAccess> portions(paragraph, UNO_QUERY_THROW);
  Progress progress;
  for (const auto all = portions->createEnumeration(); all->hasMoreElements();) {
    const Reference<XPropertySet> portion(all->nextElement(), UNO_QUERY_THROW);
    const OUString text = shownText(portion, Reference<css::text::XTextRange>(portion, UNO_QUERY_THROW)->getString());
    if (text.isEmpty() || valueOf<bool>(portion, "CharHidden")) continue;
    const css::awt::FontDescriptor font = fontOf(portion);
    const double size = valueOf<float>(portion, "CharHeight") * twipsPerPoint;
    const double spacing = valueOf<sal_Int16>(portion, "CharKerning") * twipsPerHundredthOfMillimeter;
    for (sal_Int32 at = 0; at < text.getLength();) {
      const sal_Int32 end = endOfPiece(text, at);
      const double width = widthOf(font, text.copy(at, end - at)) * size + (end - at) * spacing;
      progress.add(width, text[end - 1]);
      at = end;
    }
  }
  const Reference<XPropertySet> properties(paragraph, UNO_QUERY_THROW);
  const double indents = (valueOf<sal_Int32>(properties, "ParaLeftMargin") +
                          valueOf<sal_Int32>(properties, "ParaRightMargin")) * twipsPerHundredthOfMillimeter;
  TextWidths widest = progress.widest;
  if (widest.widestWord > 0) widest.widestWord += std::max(0.0, indents);
  if (widest.widestLine > 0) widest.widestLine += std::max(0.0, indents);
  return widest;
}

TextWidths WordWidths::widthsOf(const Reference<css::text::XText>& text) {
  TextWidths widest;
  const Reference<css::container::XEnumerationAccess> paragraphs(text, UNO_QUERY_THROW);
  for (const auto all = paragraphs->createEnumeration(); all->hasMoreElements();) {
    const Reference<css::lang::XServiceInfo> paragraph(all->nextElement(), UNO_QUERY_THROW);
    if (!paragraph->supportsService("com.sun.star.text.Paragraph")) continue;
    const TextWidths widths = widthsOfParagraph(paragraph);
    widest.widestWord = std::max(widest.widestWord, widths.widestWord);
    widest.widestLine = std::max(widest.widestLine, widths.widestLine);
  }
  return widest;
}

}  // namespace zygote
