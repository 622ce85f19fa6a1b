#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "tensor/memory.h"

namespace glass {

enum class Device : uint8_t { cpu, cuda };

/// One block of memory that tensors share. The header stands in front of the data, 64 bytes, so
/// that the data are 64-byte aligned. Counts are not atomic: a storage belongs to one thread.
class alignas(64) Storage {
 public:
  static Storage* make(size_t bytes) {
    auto* storage = static_cast<Storage*>(pool_allocate(sizeof(Storage) + bytes));
    return new (storage) Storage(bytes);
  }

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  size_t bytes() const { return bytes_; }
  Device device() const { return device_; }
  /// Grows with every in-place change; a backward compares it with what it saved.
  uint32_t version() const { return version_; }
  void bump_version() { ++version_; }

  void retain() { ++refs_; }
  void release() {
    if (--refs_ == 0) pool_free(this, sizeof(Storage) + bytes_);
  }
  uint32_t refs() const { return refs_; }

 private:
  explicit Storage(size_t bytes) : bytes_(bytes) {}
  size_t bytes_;
  uint32_t refs_ = 1;
  uint32_t version_ = 0;
  Device device_ = Device::cpu;
};
static_assert(sizeof(Storage) == 64);

/// Owns one reference to a Storage.
class StorageRef {
 public:
  StorageRef() = default;
  explicit StorageRef(Storage* owned) : storage_(owned) {}
  StorageRef(const StorageRef& other) : storage_(other.storage_) {
    if (storage_) storage_->retain();
  }
  StorageRef(StorageRef&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  StorageRef& operator=(StorageRef other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~StorageRef() {
    if (storage_) storage_->release();
  }
  Storage* operator->() const { return storage_; }
  Storage* get() const { return storage_; }
  explicit operator bool() const { return storage_; }

 private:
  Storage* storage_ = nullptr;
};

}  // namespace glass
