import type { Route } from '../addresses.ts'
import { signIn } from '../session.ts'
import { KeyForm } from './key.tsx'

/** Signs in to pages that the browser itself asks for, such as the documentation: it sends a cookie with them. */
export function SignInView({ to }: Extract<Route, { view: 'sign-in' }>) {
  const enter = async (key: string, form: FormData) => {
    await signIn(key, { stay: form.has('stay'), to })
    return undefined
  }
  const more = (
    <label class="check">
      <input type="checkbox" name="stay" />
      Stay signed in on this device
    </label>
  )
  return (
    <KeyForm title="Sign in" action="Sign in" more={more} enter={enter}>
      The key is kept in a cookie that no script can read: until the browser is closed, or for thirty days.
    </KeyForm>
  )
}
