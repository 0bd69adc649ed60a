/** Whether every database can store it: no NUL, no half of a character. */
export function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
