/** Limits of an operator that differ from the defaults, and from each other. */
export const LIMITS = {
  urls: 3,
  loadingMs: 20_000,
  viewportWidth: 2_000,
  viewportHeight: 3_000,
  picturePixels: 67_108_864,
}
