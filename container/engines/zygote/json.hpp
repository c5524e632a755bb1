// Reads and writes JSON lines to the extent that the protocol needs: flat objects of strings, integers and booleans
// (RFC 8259).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace zygote {

/** A flat object. Every value is kept as text: a string's content, or the literal `12`, `true`, `null`. */
class JsonObject {
 public:
  /** Returns nothing if the line is not exactly one flat object. */
  static std::optional<JsonObject> parse(const std::string& line);

  std::string text(const std::string& key, const std::string& fallback) const;
  std::int64_t number(const std::string& key, std::int64_t fallback) const;
  bool flag(const std::string& key) const;

 private:
  std::map<std::string, std::string> members_;
};

/** Writes one line, member after member. Bytes that are not UTF-8 become U+FFFD. */
class JsonLine {
 public:
  JsonLine& add(const char* key, const std::string& value);
  JsonLine& add(const char* key, const char* value) { return add(key, std::string(value)); }
  JsonLine& add(const char* key, std::int64_t value);
  JsonLine& add(const char* key, bool value);
  /** Returns the object with its line feed. */
  std::string finish() { return line_ + "}\n"; }

 private:
  JsonLine& addLiteral(const char* name, const std::string& literal);
  std::string line_ = "{";
};

}  // namespace zygote
