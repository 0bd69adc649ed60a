import { execFileSync } from 'node:child_process'

/** A file system of a few megabytes, where the machine lets us mount one. */
export function mountSmall(folder: string, megabytes = 6): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
