// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ShoppingList",
  platforms: [.macOS("26.0")],
  dependencies: [.package(name: "Earshot", path: "../..")],
  targets: [
    .target(name: "ShoppingList", dependencies: [.product(name: "Earshot", package: "Earshot")]),
    .testTarget(
      name: "ShoppingListTests",
      dependencies: [
        "ShoppingList", .product(name: "EarshotTesting", package: "Earshot"),
      ]),
  ]
)
