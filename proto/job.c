#include "pica_job.h"
