/**
 * Stands in for TypeBox in the browser's bundle. The protocol package makes its schemas as it is loaded, for the server
 * that validates by them; this side uses its types and constants only, and need not carry the library.
 */
const none = () => ({})

export default new Proxy({}, { get: () => none })
