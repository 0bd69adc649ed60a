export interface Size {
  readonly name: string
  readonly width: number
  readonly height: number
}

export const SIZES: readonly Size[] = [
  { name: 'Desktop', width: 1280, height: 800 },
  { name: 'Wide', width: 1920, height: 1080 },
  { name: 'Tablet', width: 820, height: 1180 },
  { name: 'Phone', width: 390, height: 844 },
]

/** The name of a window of this size, if it has one. */
export function sizeName(window: { width: number; height: number }): string | undefined {
  return SIZES.find(({ width, height }) => width === window.width && height === window.height)?.name
}
