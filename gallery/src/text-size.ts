/** How many times as large as usual text is in this browser: what has one height or width must have room for it. */
export const TEXT_SIZE: number =
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1
