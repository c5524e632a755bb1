// Reads and writes the JSON lines of the protocol: flat objects of strings, integers and booleans (RFC 8259).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace zygote {

/** A flat object. Stores each value as text: the content of a string, or a literal such as `12`, `true` or `null`. */
class JsonObject {
 public:
  /** Returns an empty optional unless the line is exactly one flat object. */
  static std::optional<JsonObject> parse(const std::string& line);

  std::string text(const std::string& key, const std::string& fallback) const;
  std::int64_t number(const std::string& key, std::int64_t fallback) const;
  bool flag(const std::string& key) const;

 private:
  std::map<std::string, std::string> members_;
};

/** Writes one line, one member at a time. Replaces bytes that are not UTF-8 by U+FFFD. */
class JsonLine {
 public:
  JsonLine& add(const char* key, const std::string& value);
  JsonLine& add(const char* key, const char* value) { return add(key, std::string(value)); }
  JsonLine& add(const char* key, std::int64_t value);
  JsonLine& add(const char* key, bool value);
  /** Returns the object with a final line feed. */
  std::string finish() { return line_ + "}\n"; }

 private:
  JsonLine& addLiteral(const char* name, const std::string& literal);
  std::string line_ = "{";
};

}  // namespace zygote
