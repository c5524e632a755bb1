// Options for import filters that want a person to choose them: what the file itself suggests.
#pragma once

#include <string>

namespace zygote {

/** @param filter LibreOffice's name of it */
std::string importOptionsFor(const std::string& path, const std::string& filter);

}  // namespace zygote
