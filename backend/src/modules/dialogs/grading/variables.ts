/** Variables of a shell. */

const LOADER =
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|EDITOR|VISUAL|PAGER|LESSOPEN|LD_\w+|DYLD_\w+|GIT_\w+|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME)|PERL5\w+|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS|npm_config_\w+)$/i

/** Whether the variable decides what programs run. */
export const isLoader = (name: string): boolean => LOADER.test(name)
