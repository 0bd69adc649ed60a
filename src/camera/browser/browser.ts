export interface FoundBrowser {
  readonly path: string
  /** A headless shell takes pictures three times as fast as the whole browser (decision 17). */
  readonly kind: 'headless shell' | 'whole browser'
  /** Where it comes from; completes "a headless shell …". */
  readonly origin: string
  /** Unpacks it if necessary. Returns its whole environment. */
  prepare(): Promise<Environment>
}

export type Environment = Readonly<Record<string, string>>

export const INSTALL_COMMAND = 'npx proofsheet browser install'
