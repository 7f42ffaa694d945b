@main
struct EarshotCommand {
  static func main() {}
}
