/** `TEST_ROUNDS=10 npm test` repeats random tests ten times as often. */
export function rounds(count: number): number {
  return Math.ceil(count * Number(process.env['TEST_ROUNDS'] ?? 1))
}
