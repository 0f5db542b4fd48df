/** Props of a button whose request is under way. It stays enabled, because a disabled button loses the focus. */
export const waitingLook = (busy: boolean) =>
  busy ? { icon: 'i-lucide-loader-circle', ui: { leadingIcon: 'animate-spin' }, 'aria-busy': true } : {}
