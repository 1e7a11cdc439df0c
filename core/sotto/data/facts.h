#pragma once
#include <cstdint>

namespace sotto {

/// The most classes a label may be declared to have: bounds the memory of a table of classes against classes.
inline constexpr std::uint32_t kMaxClasses = std::uint32_t{1} << 12;

/// Smallest and largest data_norm accepted: far enough from the ends of float32 for the rounding argument of spec 5.4.
inline constexpr double kMinDataNorm = 1e-30;
inline constexpr double kMaxDataNorm = 1e30;

/// Stored rows may exceed the declared norm by this relative amount, the rounding to float32 (spec 5.4); sensitivity
/// is computed for the enlarged norm.
inline constexpr double kNormSlack = 1.0 + 0x1p-20;

/// What is public about a data set: its shape and its declared bound. Plans are computed from this alone.
struct Facts {
  std::uint64_t rows = 0;      ///< public under replace_one
  std::uint32_t features = 0;  ///< after encoding, the intercept included
  double data_norm = 1.0;      ///< every stored row has at most this L2 norm (up to 2^-20 relative, spec 5.4)
  bool sparse = false;
  std::uint32_t classes = 2;  ///< declared; 2: labels are +1 and -1, more: labels are 0, 1, ... classes - 1
};

/// The declared norm with the rounding of a stored 32-bit row added: X (1 + 2^-20), spec 5.4.
inline double stored_norm(const Facts& facts) noexcept { return facts.data_norm * kNormSlack; }

/// True if a row may have this label when `classes` classes are declared.
inline bool is_label(float label, std::uint32_t classes) noexcept {
  if (classes == 2) return label == 1.0F || label == -1.0F;
  // Compared before it is converted: a NaN and what does not fit an integer fail here.
  return label >= 0.0F && label < static_cast<float>(classes) &&
         static_cast<float>(static_cast<std::uint32_t>(label)) == label;
}

/// The place of a label's class in the declared list; two classes are listed as negative, positive.
inline std::uint32_t class_of_label(float label, std::uint32_t classes) noexcept {
  if (classes == 2) return label > 0.0F ? 1 : 0;
  return static_cast<std::uint32_t>(label);
}
/// The label of the class at that place.
inline float label_of_class(std::uint32_t place, std::uint32_t classes) noexcept {
  if (classes == 2) return place == 1 ? 1.0F : -1.0F;
  return static_cast<float>(place);
}

}  // namespace sotto
