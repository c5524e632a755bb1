// Measures words with the fonts that LibreOffice uses.
#pragma once

#include <com/sun/star/awt/XDevice.hpp>
#include <com/sun/star/text/XText.hpp>
#include <com/sun/star/uno/XComponentContext.hpp>

#include <map>
#include <string>

namespace css = com::sun::star;

namespace zygote {

/** Widths of a text in twips, with the indents of its paragraphs. */
struct TextWidths {
  double widestWord = 0;
  double widestLine = 0;
};

class WordWidths final {
 public:
  explicit WordWidths(const css::uno::Reference<css::uno::XComponentContext>& context);

  TextWidths widthsOf(const css::uno::Reference<css::text::XText>& text);

 private:
  /** Returns the width of a text at a size of 1. */
  double widthOf(const css::awt::FontDescriptor& font, const rtl::OUString& text);
  TextWidths widthsOfParagraph(const css::uno::Reference<css::uno::XInterface>& paragraph);

  css::uno::Reference<css::awt::XDevice> device_;
  std::map<rtl::OUString, css::uno::Reference<css::awt::XFont>> fonts_;
};

}  // namespace zygote
