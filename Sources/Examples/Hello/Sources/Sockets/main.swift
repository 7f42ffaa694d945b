import EarshotPOSIX
import Hello

let host = try POSIXHost()
switch CommandLine.arguments.last {
case "listen": print(try await listen(on: host))
case "greet": try await greet(on: host)
default: print("Say listen or greet.")
}
await host.shutDown()
