// Implements the markup reader. It accepts more than XML 1.0 does, because LibreOffice has already parsed the part.
#include "spreadsheets/markup.hpp"

#include <charconv>
#include <utility>

#include <com/sun/star/uno/Sequence.hxx>

namespace zygote {
namespace {

constexpr std::size_t pieceBytes = 1 << 18;
constexpr std::string_view blanks = " \t\r\n";

void appendCharacter(std::string& text, unsigned long code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    text += static_cast<char>(0xf0 | ((code >> 18) & 0x07));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/** Appends the text of a character or entity reference (XML 1.0, 4.1 and 4.6). @param name between `&` and `;` */
void appendReference(std::string& text, std::string_view name) {
  if (name == "lt") text += '<';
  if (name == "gt") text += '>';
  if (name == "amp") text += '&';
  if (name == "quot") text += '"';
  if (name == "apos") text += '\'';
  if (name.empty() || name[0] != '#') return;
  const bool isHexadecimal = name.size() > 1 && name[1] == 'x';
  unsigned long code = 0;
  std::from_chars(name.data() + (isHexadecimal ? 2 : 1), name.data() + name.size(), code, isHexadecimal ? 16 : 10);
  if (code != 0 && code < 0x110000) appendCharacter(text, code);
}

std::string withoutReferences(std::string_view raw) {
  std::string text;
  while (true) {
    const std::size_t start = raw.find('&');
    text += raw.substr(0, start);
    const std::size_t end = start == std::string_view::npos ? start : raw.find(';', start);
    if (end == std::string_view::npos) return text;
    appendReference(text, raw.substr(start + 1, end - start - 1));
    raw.remove_prefix(end + 1);
  }
}

std::string_view withoutPrefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

}  // namespace

MarkupReader::MarkupReader(css::uno::Reference<css::io::XInputStream> stream) : stream_(std::move(stream)) {}

bool MarkupReader::readMore() {
  if (!stream_.is()) return false;
  css::uno::Sequence<sal_Int8> piece;
  const sal_Int32 length = stream_->readBytes(piece, sal_Int32(pieceBytes));
  buffer_.append(reinterpret_cast<const char*>(piece.getConstArray()), static_cast<std::size_t>(length));
  return length > 0;
}

std::size_t MarkupReader::find(std::string_view wanted, std::size_t from) {
  while (true) {
    const std::size_t found = buffer_.find(wanted, from);
    if (found != std::string::npos) return found;
    if (buffer_.size() >= from + wanted.size()) from = buffer_.size() - wanted.size() + 1;
    if (!readMore()) return std::string::npos;
  }
}

/** Returns the offset after a tag. A quoted value can contain `>`. */
std::size_t MarkupReader::endOfTag(std::size_t from) {
  char quote = '\0';
  for (std::size_t at = from;; at++) {
    if (at == buffer_.size() && !readMore()) return std::string::npos;
    const char character = buffer_[at];
    if (quote != '\0') {
      if (character == quote) quote = '\0';
    } else if (character == '"' || character == '\'') {
      quote = character;
    } else if (character == '>') {
      return at + 1;
    }
  }
}

bool MarkupReader::next() {
  if (at_ > pieceBytes) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  std::size_t start = find("<", at_);
  while (start != std::string::npos) {
    while (buffer_.size() < start + 4 && readMore()) continue;
    const bool isComment = buffer_.compare(start, 4, "<!--") == 0;
    if (!isComment && buffer_[start + 1] != '!' && buffer_[start + 1] != '?') break;
    const std::size_t end = isComment ? find("-->", start + 4) : endOfTag(start + 1);
    if (end == std::string::npos) return false;
    // Removes the comment, so that the text before and after it becomes one text.
    buffer_.erase(start, end + (isComment ? 3 : 0) - start);
    start = find("<", start);
  }
  if (start == std::string::npos) return false;
  const std::size_t end = endOfTag(start + 1);
  if (end == std::string::npos) return false;
  const std::string_view whole(buffer_);
  text_ = whole.substr(at_, start - at_);
  std::string_view tag = whole.substr(start + 1, end - start - 2);
  at_ = end;
  closing_ = !tag.empty() && tag.front() == '/';
  if (closing_) tag.remove_prefix(1);
  empty_ = !tag.empty() && tag.back() == '/';
  if (empty_) tag.remove_suffix(1);
  const std::size_t length = tag.find_first_of(blanks);
  name_ = withoutPrefix(tag.substr(0, length));
  attributes_ = length == std::string_view::npos ? std::string_view() : tag.substr(length);
  return true;
}

std::string MarkupReader::attribute(std::string_view name) const {
  std::string_view rest = attributes_;
  while (true) {
    const std::size_t start = rest.find_first_not_of(blanks);
    if (start == std::string_view::npos) return "";
    rest.remove_prefix(start);
    const std::size_t opening = rest.find_first_of("\"'");
    if (opening == std::string_view::npos) return "";
    const std::size_t closing = rest.find(rest[opening], opening + 1);
    if (closing == std::string_view::npos) return "";
    const std::string_view key = rest.substr(0, rest.find_first_of(" \t\r\n="));
    if (withoutPrefix(key) == name) return withoutReferences(rest.substr(opening + 1, closing - opening - 1));
    rest.remove_prefix(closing + 1);
  }
}

bool MarkupReader::flag(std::string_view name) const {
  const std::string value = attribute(name);
  return value == "1" || value == "true";
}

std::string MarkupReader::text() const { return withoutReferences(text_); }

}  // namespace zygote
