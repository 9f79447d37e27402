import ReunionServer

ServerProgram("quakes", help: Options.help).run { arguments in
  let service = try QuakeService(Options(arguments))
  try service.start()
  return service.stop
}
