/** How much larger than usual text is in this browser. Fixed heights and widths are multiplied by it. */
export const TEXT_SIZE: number =
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1
