/** The known name that was probably meant: it differs by one letter, by two letters in the wrong order, or by capitals. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase()
  return (
    known.find((each) => each.toLowerCase() === lower) ??
    known.find((each) => isOneApart(each.toLowerCase(), lower))
  )
}

function isOneApart(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || Math.min(one.length, other.length) < 3) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const [restOfOne, restOfOther] = [one.slice(start), other.slice(start)]
  if (one.length === other.length) {
    const swapped = `${restOfOne[1] ?? ''}${restOfOne[0] ?? ''}${restOfOne.slice(2)}`
    return restOfOne.slice(1) === restOfOther.slice(1) || swapped === restOfOther
  }
  return one.length > other.length ? restOfOne.slice(1) === restOfOther : restOfOther.slice(1) === restOfOne
}
