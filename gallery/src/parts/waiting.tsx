/** Shown only after a moment. */
export function Waiting() {
  return (
    <p class="waiting" role="status">
      One moment…
    </p>
  )
}
