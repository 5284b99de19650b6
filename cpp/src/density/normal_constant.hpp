#pragma once

namespace bayou {

inline constexpr double half_log_two_pi = 0.91893853320467274178;  // log √(2π), of every normal density

}  // namespace bayou
