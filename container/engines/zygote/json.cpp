// Parses and writes the JSON lines of the protocol.
#include "json.hpp"

#include <cstdio>
#include <cstdlib>

#include "utf-8.hpp"

namespace zygote {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  bool take(char wanted) {
    skipSpace();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    at_++;
    return true;
  }

  bool atEnd() {
    skipSpace();
    return at_ == text_.size();
  }

  bool string(std::string& out) {
    if (!take('"')) return false;
    out.clear();
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\') {
        out += c;
        continue;
      }
      if (at_ >= text_.size() || !escape(text_[at_++], out)) return false;
    }
    return false;
  }

  bool literal(std::string& out) {
    skipSpace();
    out.clear();
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ' ') out += text_[at_++];
    return !out.empty() && out[0] != '{' && out[0] != '[';
  }

  bool value(std::string& out) {
    skipSpace();
    return at_ < text_.size() && text_[at_] == '"' ? string(out) : literal(out);
  }

 private:
  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) at_++;
  }

  bool escape(char c, std::string& out) {
    switch (c) {
      case 'n': out += '\n'; return true;
      case 't': out += '\t'; return true;
      case 'r': out += '\r'; return true;
      case 'b': out += '\b'; return true;
      case 'f': out += '\f'; return true;
      case 'u': return unicode(out);
      default: out += c; return c == '"' || c == '\\' || c == '/';
    }
  }

  /**
   * Reads an escaped code unit. JSON.stringify escapes only control characters this way, and lone surrogates, which are
   * refused.
   */
  bool unicode(std::string& out) {
    if (at_ + 4 > text_.size()) return false;
    const unsigned long code = std::strtoul(text_.substr(at_, 4).c_str(), nullptr, 16);
    at_ += 4;
    if (code == 0 || code >= 0x80) return false;
    out += static_cast<char>(code);
    return true;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<JsonObject> JsonObject::parse(const std::string& line) {
  Reader reader(line);
  JsonObject object;
  if (!reader.take('{')) return std::nullopt;
  if (reader.take('}')) return reader.atEnd() ? std::optional(object) : std::nullopt;
  do {
    std::string key, value;
    if (!reader.string(key) || !reader.take(':') || !reader.value(value)) return std::nullopt;
    object.members_[key] = value;
  } while (reader.take(','));
  if (!reader.take('}') || !reader.atEnd()) return std::nullopt;
  return object;
}

std::string JsonObject::text(const std::string& key, const std::string& fallback) const {
  const auto found = members_.find(key);
  return found == members_.end() ? fallback : found->second;
}

std::int64_t JsonObject::number(const std::string& key, std::int64_t fallback) const {
  const auto found = members_.find(key);
  if (found == members_.end()) return fallback;
  char* end = nullptr;
  const std::int64_t value = std::strtoll(found->second.c_str(), &end, 10);
  return end != found->second.c_str() && *end == '\0' && value > 0 ? value : fallback;
}

bool JsonObject::flag(const std::string& key) const { return text(key, "false") == "true"; }

void JsonLine::key(const char* name) {
  if (line_.size() > 1) line_ += ',';
  line_ += '"';
  line_ += name;
  line_ += "\":";
}

JsonLine& JsonLine::add(const char* name, const std::string& value) {
  key(name);
  line_ += '"';
  for (std::size_t at = 0; at < value.size();) {
    const auto c = static_cast<unsigned char>(value[at]);
    const std::size_t length = utf8SequenceLength(value, at);
    if (length == 0) {
      line_ += '?';
      at++;
      continue;
    }
    if (c == '"' || c == '\\') {
      line_ += '\\';
      line_ += value[at];
    } else if (c < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", c);
      line_ += escaped;
    } else {
      line_.append(value, at, length);
    }
    at += length;
  }
  line_ += '"';
  return *this;
}

JsonLine& JsonLine::add(const char* name, std::int64_t value) {
  key(name);
  line_ += std::to_string(value);
  return *this;
}

JsonLine& JsonLine::add(const char* name, bool value) {
  key(name);
  line_ += value ? "true" : "false";
  return *this;
}

}  // namespace zygote
