// Parses each line of standard input as a request. Prints the interpretation as a line of the protocol.
#include <cstdio>
#include <iostream>

#include "json.hpp"

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto request = zygote::JsonObject::parse(line);
    zygote::JsonLine answer;
    answer.add("valid", request.has_value());
    if (request) answer.add("text", request->text("text", "none")).add("number", request->number("number", 7));
    std::fputs(answer.finish().c_str(), stdout);
  }
}
