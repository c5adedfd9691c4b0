/** cdktf records a stack trace for every token, which takes two thirds of a synth. No test needs it. */
exports.captureStackTrace = () => [];
