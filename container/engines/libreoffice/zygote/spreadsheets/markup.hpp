// Reads the tags of a markup part of a zipped Office document. Buffers only the current tag, because a sheet can have
// hundreds of megabytes.
#pragma once

#include <com/sun/star/io/XInputStream.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace css = com::sun::star;

namespace zygote {

/** Strings returned by the reader are UTF-8. They are valid until the next call of `next`. */
class MarkupReader final {
 public:
  /** @param stream if empty, the reader finds no tags */
  explicit MarkupReader(css::uno::Reference<css::io::XInputStream> stream);

  /** Reads up to the end of the next tag. @returns false at the end of the part */
  bool next();

  /** Name of the tag's element, without a prefix. */
  std::string_view name() const { return name_; }
  bool isClosing() const { return closing_; }
  bool isEmpty() const { return empty_; }
  /** Reports whether this tag starts an element with the given name. */
  bool starts(std::string_view name) const { return !closing_ && name_ == name; }
  bool ends(std::string_view name) const { return (closing_ || empty_) && name_ == name; }
  /** Returns the value of an attribute, ignoring its prefix. Returns an empty string if the attribute is missing. */
  std::string attribute(std::string_view name) const;
  /** Reports whether an attribute is true (xsd:boolean). */
  bool flag(std::string_view name) const;
  /** Returns the text between the previous tag and this one. */
  std::string text() const;

 private:
  std::size_t find(std::string_view wanted, std::size_t from);
  std::size_t endOfTag(std::size_t from);
  bool readMore();

  css::uno::Reference<css::io::XInputStream> stream_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::string_view text_;
  std::string_view name_;
  std::string_view attributes_;
  bool closing_ = false;
  bool empty_ = false;
};

}  // namespace zygote
