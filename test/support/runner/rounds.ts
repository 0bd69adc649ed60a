/** `TEST_ROUNDS=10 npm test` does ten times as much of what is done at random, for whoever has the time. */
export function rounds(count: number): number {
  return Math.ceil(count * Number(process.env['TEST_ROUNDS'] ?? 1))
}
