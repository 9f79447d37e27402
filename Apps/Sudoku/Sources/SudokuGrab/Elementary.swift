#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

func exponential(_ x: Float) -> Float { exp(x) }
func logarithm(_ x: Float) -> Float { log(x) }
