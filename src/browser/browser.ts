/** A browser that can be started. */
export interface FoundBrowser {
  readonly path: string
  /** A headless shell takes pictures three times as fast as the whole browser (decision 17). */
  readonly kind: 'headless shell' | 'whole browser'
  /** Where it is from, in words that complete "a headless shell …". */
  readonly origin: string
  /** Unpacks what is packed; answers all of its environment. */
  prepare(): Promise<Environment>
}

export type Environment = Readonly<Record<string, string>>

/** What to do where there is none. */
export const INSTALL_COMMAND = 'npx proofsheet browser install'
