/** cdktf keeps the stack trace of every token. That takes two thirds of a synth, and no test looks at one. */
exports.captureStackTrace = () => [];
