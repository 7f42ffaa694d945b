// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Hello",
  platforms: [.macOS("26.0")],
  dependencies: [.package(path: "../Earshot")],
  targets: [
    .target(name: "Hello", dependencies: [.product(name: "Earshot", package: "Earshot")]),
    .executableTarget(
      name: "Simulated",
      dependencies: ["Hello", .product(name: "EarshotSimulator", package: "Earshot")]),
    .executableTarget(
      name: "Sockets",
      dependencies: ["Hello", .product(name: "EarshotPOSIX", package: "Earshot")]),
    .testTarget(
      name: "HelloTests",
      dependencies: ["Hello", .product(name: "EarshotTesting", package: "Earshot")]),
  ]
)
