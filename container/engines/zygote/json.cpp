// Parses and writes JSON lines. Only this file includes the JSON library, which compiles slowly.
#include "json.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace zygote {

std::optional<JsonObject> JsonObject::parse(const std::string& line) {
  const json parsed = json::parse(line, nullptr, false);
  if (!parsed.is_object()) return std::nullopt;
  JsonObject object;
  for (const auto& [key, value] : parsed.items()) {
    if (value.is_structured()) return std::nullopt;
    object.members_[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
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

JsonLine& JsonLine::add(const char* name, const std::string& value) {
  return addLiteral(name, json(value).dump(-1, ' ', false, json::error_handler_t::replace));
}

JsonLine& JsonLine::add(const char* name, std::int64_t value) { return addLiteral(name, std::to_string(value)); }

JsonLine& JsonLine::add(const char* name, bool value) { return addLiteral(name, value ? "true" : "false"); }

JsonLine& JsonLine::addLiteral(const char* name, const std::string& literal) {
  line_ += (line_.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":" + literal;
  return *this;
}

}  // namespace zygote
